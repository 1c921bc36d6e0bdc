import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ServerRequest } from './lend-servers';
import { testVariable } from './test-variable';

/**
 * Returns the server of that name, which all specs of a run share: it is started when the first spec asks, and ends with
 * the run. Those who share it keep to databases and users of their own.
 *
 * @returns what JSON can hold of what the function has returned.
 * @throws Error with the reason, for each spec that asks, when the server does not start.
 */
export const borrowServer = async <Server>(asked: ServerRequest): Promise<Server> => {
  // `fetch` would give up after five minutes, which installing packages may take.
  const sent = request(testVariable('TEST_SERVERS_URL'), { method: 'POST' });
  sent.end(JSON.stringify(asked));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = await text(response);
  if (response.statusCode !== 200) throw new Error(`${asked.name} does not start: ${body}`);
  return JSON.parse(body) as Server;
};
