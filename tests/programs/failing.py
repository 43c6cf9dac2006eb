"""A test that fails."""
import unittest


class TestCart(unittest.TestCase):
    def test_price(self):
        price = 4
        self.assertEqual(price, 5)
