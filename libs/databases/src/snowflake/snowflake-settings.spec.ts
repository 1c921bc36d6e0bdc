import { settingsOf } from '../reading.fixture';
import { snowflakePlace, snowflakeTargetOf } from './snowflake-settings';

const SETTINGS = {
  ...{ username: 'reader', password: 'secret', role: 'LOADER' },
  ...{ database: 'CRM', schema: 'PUBLIC', warehouse: 'SMALL' },
};

it.each([
  ['acme-eu', 'acme-eu', 'https://acme-eu.snowflakecomputing.com'],
  ['acme.eu', 'acme-eu', 'https://acme-eu.snowflakecomputing.com'],
  ['Acme-eu_1', 'Acme-eu_1', 'https://acme-eu-1.snowflakecomputing.com'],
])('the account %s is %s at %s', (given, account, url) => {
  const target = snowflakeTargetOf(settingsOf({ ...SETTINGS, account: given }), snowflakePlace);
  expect(target).toEqual({ ...SETTINGS, account, url });
});
