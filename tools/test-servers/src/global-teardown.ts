import { stopTestServers } from './test-servers';

export = stopTestServers;
