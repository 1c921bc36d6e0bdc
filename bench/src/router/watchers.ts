import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_KEY } from '../installations';

/** Each records an access first, and few may wait for that at a time. */
const AT_ONCE = 10;
/** Until the routers know what is watched. */
const ANNOUNCED_MS = 1_000;

const open = async (port: number, agent: Agent): Promise<void> => {
  const headers = { Authorization: `Bearer ${API_KEY}` };
  const sent = request({ port, path: '/v1/events/live', headers, agent }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`live events: ${String(response.statusCode)}`);
  response.on('error', () => undefined).resume();
};

/** Opens streams of live events and reads them. @returns a function that closes them. */
export const openWatchers = async (port: number, count: number): Promise<() => void> => {
  const agent = new Agent();
  for (let opened = 0; opened < count; opened += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - opened) }, () => open(port, agent)),
    );
  if (count > 0) await sleep(ANNOUNCED_MS);
  return () => {
    agent.destroy();
  };
};
