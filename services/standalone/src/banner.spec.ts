import type { ConnectionId } from '@penstock/contracts';
import { banner } from './banner';

const address = 'http://127.0.0.1:8080';
const demo = { writeKey: 'w'.repeat(32), destination: 'd' as ConnectionId };

it('shows the new key, and how to send an event and see it arrive', () => {
  const text = banner({ address, newKey: 'pk_made', demo, isDemoNew: true });
  expect(text).toContain('pk_made');
  expect(text).toContain(`Authorization: Bearer ${demo.writeKey}`);
  expect(text).toContain(`${address}/demo`);
});

it('refers to the existing key at a later start, and to the way back to a lost one', () => {
  const text = banner({ address, newKey: undefined, demo, isDemoNew: false });
  expect(text).toContain('npm run keys:recover');
  expect(text).toContain(demo.writeKey);
  expect(text).toContain(`${address}/demo`);
  expect(text).not.toContain('curl');
});

it('is short without the demo', () => {
  const text = banner({ address, newKey: undefined, demo: undefined, isDemoNew: false });
  expect(text.trim().split('\n')).toHaveLength(3);
});
