"""The tables and figures of Opitz and Burst, 'Macro F1 and Macro F1' (2019), reproduced."""
