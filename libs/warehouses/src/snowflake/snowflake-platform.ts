import {
  checkSnowflakeSettings,
  type SnowflakePlace,
  snowflakePlace,
  snowflakeSettings,
  snowflakeStoredName,
  snowflakeTargetOf,
} from '@penstock/databases';
import { createGuardedSockets } from '@penstock/egress';
import { sameMembers } from '../platform/same-members';
import type { WarehousePlatform } from '../platform/warehouse';
import { SnowflakeWarehouse } from './platform/snowflake-warehouse';
import { changeQueries } from './profiles/change-steps';
import { READING } from './reading/reading-sessions';
import { SnowflakeReader } from './reading/snowflake-reader';
import { Sessions } from './sessions/sessions';
import { SnowflakeWriter } from './writing/snowflake-writer';

export interface SnowflakeOptions {
  /** CIDR ranges that are allowed beside public addresses. */
  readonly allow: readonly string[];
  /** Where accounts are. Absent: at Snowflake. */
  readonly placeOf?: SnowflakePlace;
}

/** @throws RangeError on a range that is not a CIDR range. */
export const snowflakePlatform = ({
  allow,
  placeOf = snowflakePlace,
}: SnowflakeOptions): WarehousePlatform => {
  const sockets = createGuardedSockets(allow);
  return {
    name: 'Snowflake',
    settings: snowflakeSettings,
    checkSettings: checkSnowflakeSettings,
    isSamePlace: sameMembers('account', 'database', 'schema'),
    changeQueries: (settings, change) => {
      const { database, schema } = snowflakeTargetOf(settings, placeOf);
      const place = {
        database: snowflakeStoredName(database),
        schema: snowflakeStoredName(schema),
      };
      return changeQueries(place, change);
    },
    connect: (settings, signal) =>
      SnowflakeWarehouse.connect(snowflakeTargetOf(settings, placeOf), sockets, signal),
    openWriter: (settings, options, signal) =>
      SnowflakeWriter.open(snowflakeTargetOf(settings, placeOf), sockets, options, signal),
    openReader: async (settings, { workspace, epoch, connections }, signal) => {
      const use = { ...READING, max: connections };
      const target = snowflakeTargetOf(settings, placeOf);
      return new SnowflakeReader(
        await Sessions.open(target, sockets, use, signal),
        workspace,
        epoch,
      );
    },
  };
};
