import { version } from '../../package.json';

/** Goes with every request to somebody else's server. */
export const USER_AGENT = `penstock/${version}`;
