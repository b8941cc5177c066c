"""What each page says: one module per kind of page, from the results to the names its templates use."""
