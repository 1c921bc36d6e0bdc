import type { LiveFrames } from './live-frames';
import { LiveListener } from './live-listener';
import type { Watch } from './watch';

const WATCH: Watch = {
  workspace: 'workspace0000001' as Watch['workspace'],
  connection: null,
  isOfSource: false,
  pipeline: null,
  filter: '',
  matches: null,
  withValues: true,
};

const frames = (last: number): LiveFrames =>
  ({
    last,
    count: 1,
    events: 1,
    of: () => ({ bytes: Buffer.from(`sample ${String(last)}`), events: 1 }),
  }) as unknown as LiveFrames;

it('writes nothing to a stream that it has ended, which would be an error that nobody handles', () => {
  const written: string[] = [];
  let isEnded = false;
  const sink = {
    writableLength: 0,
    write: (text: string | Buffer) =>
      written.push(`${String(text)}${isEnded ? ' after the end' : ''}`),
    end: () => (isEnded = true),
    destroy: () => (isEnded = true),
  };
  const listener = new LiveListener(WATCH, sink);
  listener.begin(0);
  listener.take(frames(1));
  listener.end();
  listener.take(frames(2));
  listener.beat();
  listener.tellExpired();
  expect(written.filter((text) => text.endsWith('after the end'))).toEqual([]);
  expect(written).toContain('sample 1');
});

it('is told that the stream is alive while it waits for its past, and of no place in it', () => {
  const written: string[] = [];
  const sink = {
    writableLength: 0,
    write: (text: string | Buffer) => written.push(String(text)),
    end: () => undefined,
    destroy: () => undefined,
  };
  const listener = new LiveListener(WATCH, sink);
  listener.take(frames(7));
  listener.beat();
  expect(written).toEqual([': heartbeat\n\n']);
});
