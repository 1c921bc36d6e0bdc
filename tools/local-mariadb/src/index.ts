export { type LocalMariadb, type MariadbOptions, startMariadb } from './start-mariadb';
