import { checkSnowflakeSettings, snowflakeSettings } from '@penstock/databases';
import { sameMembers } from '../platform/same-members';
import { WarehouseFault, type WarehousePlatform } from '../platform/warehouse';

const unsupportedFault = (): WarehouseFault =>
  new WarehouseFault('unsupported', 'this version of Penstock cannot connect to Snowflake');

const unsupported = (): Promise<never> => Promise.reject(unsupportedFault());

/** Knows the form of its settings only. */
export const snowflakePlatform: WarehousePlatform = {
  name: 'Snowflake',
  settings: snowflakeSettings,
  checkSettings: checkSnowflakeSettings,
  isSamePlace: sameMembers('account', 'database', 'schema'),
  changeQueries: () => {
    throw unsupportedFault();
  },
  connect: unsupported,
  openWriter: unsupported,
  openReader: unsupported,
};
