"""Models of scikit-learn as functions of columns. The public names are in `asanoha.sklearn`."""
