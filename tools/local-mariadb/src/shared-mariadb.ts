import { borrowServer } from '@penstock/test-servers';
import { join } from 'node:path';
import type { LocalMariadb, MariadbOptions } from './start-mariadb';

/** A server that all specs of a run share: databases and users of a spec have random names. */
export type SharedMariadb = Pick<LocalMariadb, 'port' | 'username' | 'password'>;

/** Larger messages than any spec sends; and a time zone that is not UTC, since users' servers have one. */
const OPTIONS: MariadbOptions = {
  options: ['--max-allowed-packet=256M', '--default-time-zone=+05:45'],
};

/** Returns the MariaDB that all specs of a run share. @throws Error when it does not start. */
export const sharedMariadb = (): Promise<SharedMariadb> =>
  borrowServer({
    name: 'MariaDB',
    module: join(__dirname, 'start-mariadb'),
    start: 'startMariadb',
    options: OPTIONS,
  });
