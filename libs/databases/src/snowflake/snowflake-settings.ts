import type { JsonObject } from '@penstock/schema';
import { checkedBy, members, readText, text } from '@penstock/settings';

/**
 * `<organization>-<account>`, `<organization>.<account>`, `<locator>`, `<locator>.<region>` or `<locator>.<region>.<cloud>`,
 * each with `.privatelink` at its end, too; a region for a government has one more part. A number is an address.
 * Source: Snowflake, "Account identifiers".
 */
const NAME = '[a-z0-9_]+(?:-[a-z0-9_]+)*';
const CLOUD = '(?:aws|azure|gcp)';
const ACCOUNT = new RegExp(
  `^(?![\\d.]+$)${NAME}(?:(?:\\.${NAME})?|(?:\\.${NAME}){1,2}\\.${CLOUD})(?:\\.privatelink)?$`,
  'i',
);

const account = text({
  minLength: 3,
  maxLength: 255,
  problem: (given) =>
    ACCOUNT.test(given)
      ? undefined
      : 'must be an account identifier without an address, such as <organization>-<account>, <locator> or <locator>.<region>.<cloud>',
});

const name = text({ maxLength: 255 });

/** What settings of a Snowflake may hold. */
export const snowflakeSettings = members(
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

/** Checks the form of the settings of a Snowflake. It throws `Invalid`. */
export const checkSnowflakeSettings = checkedBy(snowflakeSettings);

/** Settings of a Snowflake that have been checked, ready to connect with. */
export interface SnowflakeTarget {
  /** URL of the account, without a path. */
  readonly url: string;
  readonly account: string;
  readonly username: string;
  readonly password: string;
  readonly role: string;
  readonly database: string;
  readonly schema: string;
  readonly warehouse: string;
}

/** Where an account is. Host names have `-` for `_`. Source: Snowflake, "Account identifiers". */
export type SnowflakePlace = (settings: JsonObject) => string;

/** `<organization>.<account>`, and no locator with its region: a region has a `-` in its name, an account has none there. */
const OF_ORGANIZATION = /^([^.]+)\.(?!privatelink$)([^.-]+)(?=(?:\.privatelink)?$)/i;

const accountIn = (settings: JsonObject): string =>
  readText(settings, 'account').replace(OF_ORGANIZATION, '$1-$2');

/** Regions in China have a domain of their own. */
const domainOf = (host: string): string => (/\.cn-/.test(host) ? 'cn' : 'com');

/** Where Snowflake has its accounts. */
export const snowflakePlace: SnowflakePlace = (settings) => {
  const host = accountIn(settings).replaceAll('_', '-').toLowerCase();
  return `https://${host}.snowflakecomputing.${domainOf(host)}`;
};

/** The account, the user and the place in checked settings. */
export const snowflakeTargetOf = (
  settings: JsonObject,
  placeOf: SnowflakePlace,
): SnowflakeTarget => ({
  url: placeOf(settings),
  account: accountIn(settings),
  username: readText(settings, 'username'),
  password: readText(settings, 'password'),
  role: readText(settings, 'role'),
  database: readText(settings, 'database'),
  schema: readText(settings, 'schema'),
  warehouse: readText(settings, 'warehouse'),
});
