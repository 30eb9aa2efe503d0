# SPDX-License-Identifier: Apache-2.0
from . import autotuner, driver as _driver, jit  # noqa: F401

driver = _driver.driver
