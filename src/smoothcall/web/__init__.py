"""The page in the browser and the JSON API, over one `PlayService`.

`server` builds the application and serves it; `guard` is what every request passes first; `pages` what all pages share.
Then one module and one template per page: `lobby`, `table`, `hands`, `statistics`, `explore`; and `api` with its `docs`.
"""
