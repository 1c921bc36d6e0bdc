import { JoinedWork } from './joined-work';

const PLACES = 2;

let joined: JoinedWork<string>;
/** Keys of the work that was begun, in order. */
let begun: string[];
let endings: { readonly finish: (result: string) => void; readonly fail: (error: Error) => void }[];

beforeEach(() => {
  joined = new JoinedWork(PLACES);
  [begun, endings] = [[], []];
});

const never = new AbortController().signal;

const join = (key: string, signal = never): Promise<string> =>
  joined.join(key, signal, () => {
    begun.push(key);
    return new Promise((finish, fail) => endings.push({ finish, fail }));
  });

it('is begun once for a key, and anew when it has ended', async () => {
  const both = [join('a'), join('a')];
  endings[0]?.finish('first');
  expect(await Promise.all(both)).toEqual(['first', 'first']);
  const next = join('a');
  endings[1]?.finish('second');
  expect(await next).toBe('second');
  expect(begun).toEqual(['a', 'a']);
});

it('goes on when nobody waits for it any more, and can be joined again', async () => {
  const controller = new AbortController();
  const [leaving, staying] = [join('a', controller.signal), join('a')];
  controller.abort(new Error('late'));
  await expect(leaving).rejects.toThrow('late');
  await expect(join('a', controller.signal)).rejects.toThrow('late');
  const back = join('a');
  endings[0]?.finish('done');
  expect(await Promise.all([staying, back])).toEqual(['done', 'done']);
  expect(begun).toEqual(['a']);
});

it('fails for all who wait for it, is forgotten then, and needs nobody who waits', async () => {
  const both = [join('a'), join('a')];
  endings[0]?.fail(new Error('broken'));
  for (const each of both) await expect(each).rejects.toThrow('broken');
  const controller = new AbortController();
  const left = join('a', controller.signal);
  controller.abort(new Error('late'));
  await expect(left).rejects.toThrow('late');
  endings[1]?.fail(new Error('broken later'));
  await new Promise(setImmediate);
  const next = join('a');
  endings[2]?.finish('done');
  expect(await next).toBe('done');
});

it('has so many places: no more is begun, and what is under way can be joined', async () => {
  const all = [join('a'), join('b')];
  await expect(join('c')).rejects.toMatchObject({ code: 'ServiceUnavailable' });
  const joining = join('a');
  endings[1]?.finish('b');
  expect(await all[1]).toBe('b');
  const next = join('c');
  endings[0]?.finish('a');
  endings[2]?.finish('c');
  expect(await Promise.all([all[0], joining, next])).toEqual(['a', 'a', 'c']);
  expect(begun).toEqual(['a', 'b', 'c']);
});
