import { settingsOf } from '../reading.fixture';
import { checkSnowflakeSettings, snowflakePlace, snowflakeTargetOf } from './snowflake-settings';

const SETTINGS = {
  ...{ username: 'reader', password: 'secret', role: 'LOADER' },
  ...{ database: 'CRM', schema: 'PUBLIC', warehouse: 'SMALL' },
};

/** Every form that Snowflake documents under "Account identifiers" and for private connectivity, with its host name. */
it.each([
  ['acme-eu', 'acme-eu', 'acme-eu.snowflakecomputing.com'],
  ['acme.eu', 'acme-eu', 'acme-eu.snowflakecomputing.com'],
  ['Acme-eu_1', 'Acme-eu_1', 'acme-eu-1.snowflakecomputing.com'],
  ['acme.my_account', 'acme-my_account', 'acme-my-account.snowflakecomputing.com'],
  ['acme-my-account', 'acme-my-account', 'acme-my-account.snowflakecomputing.com'],
  ['acme-eu.privatelink', 'acme-eu.privatelink', 'acme-eu.privatelink.snowflakecomputing.com'],
  ['acme.eu.privatelink', 'acme-eu.privatelink', 'acme-eu.privatelink.snowflakecomputing.com'],
  ['xy12345', 'xy12345', 'xy12345.snowflakecomputing.com'],
  ['xy12345.eu-central-1', 'xy12345.eu-central-1', 'xy12345.eu-central-1.snowflakecomputing.com'],
  ...[
    'xy12345.us-east-2.aws',
    'xy12345.us-central1.gcp',
    'xy12345.west-us-2.azure',
    'xy12345.fhplus.us-gov-west-1.aws',
    'xy12345.us-east-2.privatelink',
    'xy12345.us-east-2.aws.privatelink',
  ].map((given) => [given, given, `${given}.snowflakecomputing.com`]),
  [
    'xy12345.cn-northwest-1.aws',
    'xy12345.cn-northwest-1.aws',
    'xy12345.cn-northwest-1.aws.snowflakecomputing.cn',
  ],
])('the account %s is %s at %s', (given, account, host) => {
  const settings = settingsOf({ ...SETTINGS, account: given });
  expect(() => checkSnowflakeSettings(settings)).not.toThrow();
  const target = snowflakeTargetOf(settings, snowflakePlace);
  expect(target).toEqual({ ...SETTINGS, account, url: `https://${host}` });
});

it.each([
  'https://acme-eu.snowflakecomputing.com',
  'acme-eu.snowflakecomputing.com',
  'xy12345.us-east-2.other',
  '127.0.0.1',
  '127.1',
  'acme-',
  '-acme',
  'acme..eu',
  'acme.eu.',
  'acme--eu',
  'acme:443',
  'acme/eu',
])('%s is no account', (account) => {
  expect(() => checkSnowflakeSettings(settingsOf({ ...SETTINGS, account }))).toThrow();
});
