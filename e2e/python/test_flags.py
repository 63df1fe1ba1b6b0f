"""Every flag of the demo, for several users, evaluated inside the SDK."""

import pytest

from demo import FLAGS, USERS, as_user, expected


@pytest.mark.parametrize("user", USERS)
def test_every_flag_of_the_demo(client, user):
    values = {flag: client.variation(flag, as_user(user), None) for flag in FLAGS}
    assert values == {flag: expected(flag, user) for flag in FLAGS}
