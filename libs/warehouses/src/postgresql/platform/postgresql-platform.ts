import {
  checkPostgresqlSettings,
  postgresqlSettings,
  postgresqlTargetOf,
} from '@penstock/databases';
import { createGuardedSockets } from '@penstock/egress';
import { sameMembers } from '../../platform/same-members';
import type { WarehousePlatform } from '../../platform/warehouse';
import { connect } from '../connect';
import { changeStatements } from '../profiles/change-statements';
import { serverOfUrl } from '../settings-of-url';
import { READING } from '../reading/reading';
import { PostgresqlReader } from '../reading/postgresql-reader';
import { Sessions } from '../sessions/sessions';
import { PostgresqlWriter, WRITING } from '../writing/postgresql-writer';
import { PostgresqlWarehouse } from './postgresql-warehouse';

export interface PostgresqlOptions {
  /** CIDR ranges that are allowed beside public addresses. */
  readonly allow: readonly string[];
  /** URLs of warehouses that the operator has named: their servers are reached wherever they are. */
  readonly trustedUrls?: readonly string[];
}

/** @throws RangeError on a range that is not a CIDR range, Invalid on a URL that cannot be one of a warehouse. */
export const postgresqlPlatform = ({
  allow,
  trustedUrls = [],
}: PostgresqlOptions): WarehousePlatform => {
  const sockets = createGuardedSockets(allow, trustedUrls.map(serverOfUrl));
  return {
    name: 'PostgreSQL',
    settings: postgresqlSettings,
    checkSettings: checkPostgresqlSettings,
    isSamePlace: sameMembers('host', 'port', 'database', 'schema'),
    changeQueries: (settings, change) => {
      const { before, views, after } = changeStatements(
        postgresqlTargetOf(settings).schema,
        change,
      );
      return [...before, ...views, ...after];
    },
    connect: async (settings, signal) => {
      const target = postgresqlTargetOf(settings);
      const { client } = await connect(target, sockets, signal);
      return new PostgresqlWarehouse(client, target, signal);
    },
    openWriter: async (settings, options, signal) => {
      const target = postgresqlTargetOf(settings);
      const sessions = await Sessions.open(target, sockets, WRITING, signal);
      return new PostgresqlWriter(sessions, target.schema, options);
    },
    openReader: async (settings, { workspace, epoch, connections }, signal) => {
      const target = postgresqlTargetOf(settings);
      const use = { ...READING, max: connections };
      const sessions = await Sessions.open(target, sockets, use, signal);
      return new PostgresqlReader(sessions, target.schema, workspace, epoch);
    },
  };
};
