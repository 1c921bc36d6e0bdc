import { PENSTOCK_VARIABLES, SERVICE_VARIABLE_NAMES } from '@penstock/runtime';
import { STANDALONE_VARIABLES } from './standalone-variables';

it('has exactly the names that every service accepts', () => {
  const own = Object.keys(STANDALONE_VARIABLES).filter((name) => !(name in PENSTOCK_VARIABLES));
  expect(own.sort()).toEqual([...SERVICE_VARIABLE_NAMES].sort());
});
