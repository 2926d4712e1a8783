"""Who answers: models behind one protocol."""
