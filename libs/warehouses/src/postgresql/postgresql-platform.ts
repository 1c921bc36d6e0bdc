import { egressRules } from '@penstock/egress';
import type { WarehousePlatform } from '../warehouse';
import { connect } from './connect';
import { guardedSockets, type TrustedServer } from './guarded-socket';
import { checkPostgresqlSettings, postgresqlSettings, targetOf } from './postgresql-settings';
import { PostgresqlWarehouse } from './postgresql-warehouse';

export interface PostgresqlOptions {
  /** CIDR ranges that are allowed beside public addresses. */
  readonly allow: readonly string[];
  readonly trusted?: TrustedServer | undefined;
}

/** @throws RangeError on a range that is not a CIDR range. */
export const postgresqlPlatform = ({ allow, trusted }: PostgresqlOptions): WarehousePlatform => {
  const socketTo = guardedSockets(egressRules(allow), trusted);
  return {
    name: 'PostgreSQL',
    settings: postgresqlSettings,
    checkSettings: checkPostgresqlSettings,
    connect: async (settings, signal) => {
      const target = targetOf(settings);
      return new PostgresqlWarehouse(await connect(target, socketTo, signal), target, signal);
    },
  };
};
