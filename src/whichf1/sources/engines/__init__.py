"""Where data lives: dataframes, DuckDB, files and Spark."""
