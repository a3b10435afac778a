"""Other people's formats, protocols and libraries. What the rest of the package takes from here is in `interop.sources`."""
