"""Adapters: for each library a module that runs it and a sheet of its conventions."""
