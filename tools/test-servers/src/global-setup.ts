import { startTestServers } from './test-servers';

export = startTestServers;
