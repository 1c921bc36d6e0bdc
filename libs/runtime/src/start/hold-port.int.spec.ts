import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { CannotStart } from './cannot-start';
import { holdPort } from './hold-port';

const HOST = '127.0.0.1';

const listening = async (port: number) => {
  const server = createServer().listen(port, HOST);
  await once(server, 'listening');
  return server;
};

it('refuses a port that another program uses, in one line that names the variable', async () => {
  const other = await listening(0);
  const { port } = other.address() as AddressInfo;
  const held = holdPort({ port, host: HOST, variable: 'PENSTOCK_OPS_PORT' });
  await expect(held).rejects.toThrow(CannotStart);
  await expect(held).rejects.toThrow(
    `port ${port} on ${HOST} is in use by another program: stop that one, or set PENSTOCK_OPS_PORT to another port`,
  );
  other.close();
});

it.each([
  ['192.0.2.1', 'is not an address of this machine: correct PENSTOCK_HOST'],
  ['nowhere.invalid', 'is not the name of a host: correct PENSTOCK_HOST'],
])('refuses %s as an address', async (host, message) => {
  await expect(holdPort({ port: 0, host, variable: 'PENSTOCK_PORT' })).rejects.toThrow(
    `${host} ${message}`,
  );
});

it('keeps the port until it is released, and closes connections', async () => {
  const free = await listening(0);
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, 'close');
  const release = await holdPort({ port, host: HOST, variable: 'PENSTOCK_PORT' });
  await expect(listening(port)).rejects.toThrow('EADDRINUSE');
  const client = connect(port, HOST);
  client.on('error', () => undefined);
  await once(client, 'close');
  await release();
  await release();
  const server = await listening(port);
  server.close();
});
