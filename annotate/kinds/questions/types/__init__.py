"""The types of questions: each module here sets `TYPE`, and its template is templates/questions/<type>.html."""
