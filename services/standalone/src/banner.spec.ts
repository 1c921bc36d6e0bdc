import type { ConnectionId } from '@penstock/contracts';
import { banner } from './banner';

const address = 'http://127.0.0.1:8080';
const demo = { writeKey: 'w'.repeat(32), destination: 'd' as ConnectionId };

it('shows the new key, and how to send an event and see it arrive', () => {
  const text = banner({ address, newKey: 'pk_made', demo });
  expect(text).toContain('pk_made');
  expect(text).toContain(`Authorization: Bearer ${demo.writeKey}`);
  expect(text).toContain(`${address}/demo`);
});

it('refers to the existing key at a later start', () => {
  const text = banner({ address, newKey: undefined, demo: undefined });
  expect(text).toContain('PENSTOCK_BOOTSTRAP_KEY');
  expect(text).not.toContain('curl');
});
