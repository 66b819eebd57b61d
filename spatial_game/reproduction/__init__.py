"""The paper's tables and figures in one run: stages, sections and the report's page."""
