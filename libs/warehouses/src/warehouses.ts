import type { WarehousePlatform } from './platform/warehouse';
import {
  type PostgresqlOptions,
  postgresqlPlatform,
} from './postgresql/platform/postgresql-platform';
import { type SnowflakeOptions, snowflakePlatform } from './snowflake/snowflake-platform';

/** What the platforms need from the process. */
export interface WarehousesOptions extends PostgresqlOptions {
  /** Where accounts of Snowflake are. Absent: at Snowflake. */
  readonly snowflakePlace?: SnowflakeOptions['placeOf'];
}

/** The platforms of data warehouses. Abstract class: the port and its DI token in one. */
export abstract class Warehouses {
  /** In the order in which they are shown. */
  abstract readonly list: readonly WarehousePlatform[];
  abstract get(name: string): WarehousePlatform | undefined;
}

/**
 * The platforms that a warehouse may be on.
 *
 * @throws RangeError on a range that is not a CIDR range, Invalid on a URL that cannot be one of a warehouse.
 */
export const createWarehouses = ({
  snowflakePlace: placeOf,
  ...options
}: WarehousesOptions): Warehouses => {
  const { allow } = options;
  const list = [
    postgresqlPlatform(options),
    snowflakePlatform({ allow, ...(placeOf && { placeOf }) }),
  ];
  return { list, get: (name) => list.find((platform) => platform.name === name) };
};
