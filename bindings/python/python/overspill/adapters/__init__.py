"""Adapters for frameworks, one module for each. Import the one you use."""
