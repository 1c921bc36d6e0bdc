export { type SharedMariadb, sharedMariadb } from './shared-mariadb';
export { type LocalMariadb, type MariadbOptions, startMariadb } from './start-mariadb';
