"""The page in the browser and the JSON API, over one `PlayService`.

`server` builds the application and serves it; `guard` checks every request first; `forms` holds the models of forms and
queries; `pages` holds what all pages share.
Then one module and one template per page: `lobby`, `table`, `hands`, `statistics`, `explore`; and `api` with its `docs`.
"""
