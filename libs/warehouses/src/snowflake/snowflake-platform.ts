import { checkedBy, members, text } from '@penstock/settings';
import { sameMembers } from '../platform/same-members';
import { WarehouseFault, type WarehousePlatform } from '../platform/warehouse';

/** `<organization>-<account>` or `<organization>.<account>`. */
const ACCOUNT = /^[A-Za-z0-9_]+[-.][A-Za-z0-9_]+$/;

const account = text({
  minLength: 3,
  maxLength: 255,
  problem: (given) =>
    ACCOUNT.test(given)
      ? undefined
      : 'must be <organization>-<account> or <organization>.<account>, of letters, digits and _',
});

const name = text({ maxLength: 255 });

const settings = members(
  { name: 'account', form: account, description: 'Account identifier.', required: true },
  { name: 'username', form: name, description: 'Username.', required: true },
  {
    name: 'password',
    form: text({ maxLength: 255, secret: true }),
    description: 'Password.',
    required: true,
  },
  { name: 'role', form: name, description: 'Role that the data is accessed with.', required: true },
  { name: 'database', form: name, description: 'Database name.', required: true },
  { name: 'schema', form: name, description: 'Schema within the database.', required: true },
  { name: 'warehouse', form: name, description: 'Virtual warehouse.', required: true },
);

const unsupportedFault = (): WarehouseFault =>
  new WarehouseFault('unsupported', 'this version of Penstock cannot connect to Snowflake');

const unsupported = (): Promise<never> => Promise.reject(unsupportedFault());

/** Knows the form of its settings only. */
export const snowflakePlatform: WarehousePlatform = {
  name: 'Snowflake',
  settings,
  checkSettings: checkedBy(settings),
  isSamePlace: sameMembers('account', 'database', 'schema'),
  changeQueries: () => {
    throw unsupportedFault();
  },
  connect: unsupported,
  openWriter: unsupported,
  openReader: unsupported,
};
