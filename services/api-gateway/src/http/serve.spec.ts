import { CannotStart } from '@penstock/runtime';
import { serve } from './serve';

it('says in one line that its port is taken', async () => {
  const server = await serve(() => undefined, 0, '127.0.0.1');
  const port = Number(new URL(server.address).port);
  const second = serve(() => undefined, port, '127.0.0.1').catch((error: unknown) => error);
  const error = await second.finally(() => server.close(0));
  expect(error).toBeInstanceOf(CannotStart);
  expect(String(error)).toMatch(/port \d+ on 127\.0\.0\.1 .*PENSTOCK_PORT/);
});
