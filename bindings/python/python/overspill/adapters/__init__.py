"""One module for each framework; import the one you use."""
