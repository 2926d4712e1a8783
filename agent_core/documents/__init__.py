"""Documents that people take away: Markdown as PDF and DOCX, rows as XLSX and CSV."""
