import { SERVICE_VARIABLE_NAMES } from '@penstock/runtime';
import { STANDALONE_VARIABLES } from './standalone-variables';

it('has exactly the names that every service accepts', () => {
  expect(Object.keys(STANDALONE_VARIABLES).sort()).toEqual([...SERVICE_VARIABLE_NAMES].sort());
});
