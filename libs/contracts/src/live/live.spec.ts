import type { ConnectionId, PipelineId, WorkspaceId } from '../ids';
import { type LiveInterest, readInterests, writeInterests } from './live-interest';
import { type LiveRecord, readLiveRecord, writeLiveRecord } from './live-record';

const WORKSPACE = 'workspace0000001' as WorkspaceId;
const SOURCE = 'source0000000001' as ConnectionId;
const PIPELINE = 'pipeline00000001' as PipelineId;

describe('interests', () => {
  it('are read as they were written', () => {
    const interests: LiveInterest[] = [
      { workspace: WORKSPACE, connection: null, pipeline: null },
      { workspace: WORKSPACE, connection: SOURCE, pipeline: PIPELINE },
    ];
    const announced = { gateway: 'g', interests };
    expect(readInterests(writeInterests(announced))).toEqual(announced);
  });

  it.each([
    null,
    '',
    'null',
    '{"form":2,"gateway":"g","interests":[]}',
    '{"form":1,"interests":[]}',
    '{"form":1,"gateway":"g","interests":{}}',
    '{"form":1,"gateway":"g","interests":[[null,null,null]]}',
    `{"form":1,"gateway":"g","interests":[["${WORKSPACE}",null]]}`,
    `{"form":1,"gateway":"g","interests":[["${WORKSPACE}",1,null]]}`,
  ])('are not read from %p', (value) => {
    expect(readInterests(value)).toBeUndefined();
  });
});

describe('records', () => {
  it('are read as they were written', () => {
    const record: LiveRecord = { kind: 'dropped', workspace: WORKSPACE, source: SOURCE, count: 3 };
    expect(readLiveRecord(writeLiveRecord(record))).toEqual(record);
  });

  it.each([null, '', 'null', '{"form":2,"kind":"dropped"}', '{"form":1,"kind":"other"}'])(
    'are not read from %p',
    (value) => {
      expect(readLiveRecord(value)).toBeUndefined();
    },
  );
});
