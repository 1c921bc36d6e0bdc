import { idOf } from './testing/stage/staged-records.fixture';
import { Stage, unavailable } from './testing/stage/stage.fixture';

const SECOND_MS = 1_000;

it('ends the pause of a connection that is deleted, with or without events in this process', async () => {
  const stage = new Stage({
    destinations: [
      { name: 'denying', answer: unavailable(401) },
      { name: 'elsewhere', only: 'B' },
      { name: 'unchanged', only: 'B' },
    ],
  });
  const paused = async (): Promise<readonly string[]> => {
    const records = await stage.store.lanes();
    return records.filter(({ pauses }) => pauses.at(-1)!.toMs === null).map(({ lane }) => lane);
  };
  stage.start();
  stage.accept('user', 3);
  for (const name of ['elsewhere', 'unchanged'])
    await stage.store.pause(idOf(name), 1, stage.clock.wallMs(), '401');
  await stage.run(5 * SECOND_MS);
  expect(await paused()).toEqual(['denying', 'elsewhere', 'unchanged'].map(idOf));
  stage.deleteConnection('denying');
  stage.deleteConnection('elsewhere');
  await stage.run(5 * SECOND_MS);
  expect(await paused()).toEqual([idOf('unchanged')]);
  expect(await stage.counts('denying')).toMatchObject({ 'Parked Deleted': 3 });
  expect(stage.errors).toEqual([]);
});

it('keeps no lane of a deleted connection, once nothing of it is left', async () => {
  const stage = new Stage({
    destinations: [
      { name: 'denying', answer: unavailable(401) },
      { name: 'deleted' },
      { name: 'kept' },
    ],
  });
  const lanes = (): readonly string[] => [...stage.engine.lanes].map(({ identity }) => identity.id);
  stage.start();
  for (const source of [0, 1]) stage.accept('user', 3, 'A', source);
  await stage.run(5 * SECOND_MS);
  for (const name of ['denying', 'deleted']) stage.deleteConnection(name);
  expect(lanes()).toHaveLength(3);
  await stage.run(120 * SECOND_MS);
  expect(lanes()).toEqual([idOf('kept')]);
  expect(await stage.counts('denying')).toMatchObject({ 'Parked Deleted': 6 });
  expect(stage.takenBy('deleted')).toHaveLength(6);
  expect(stage.errors).toEqual([]);
});
