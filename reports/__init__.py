"""Published results; the package contains the profiles of libraries, and how often these hold on other data."""
