import type { ConnectionId } from '@penstock/contracts';
import type { SimulatedLog } from './log.fixture';
import type { Stored } from './storage.fixture';

/** Offsets that retention removed before they were read. */
export interface Gap {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  /** The lane that was not given them; undefined: no lane was. */
  readonly lane: ConnectionId | undefined;
}

const REPORT =
  /^retention has removed (\d+) records before (?:they were read|lane (\S+) was given them)$/;

/** The gaps that were reported to operators, limited to what retention has removed. */
export const gapsOf = ({ unreadable }: Stored, log: SimulatedLog): Gap[] =>
  unreadable.flatMap(({ partition, offset, reason }) => {
    const report = REPORT.exec(reason);
    if (report === null) return [];
    const to = Math.min(offset + Number(report[1]), log.begins[partition]!);
    return [{ partition, from: offset, to, lane: report[2] as ConnectionId | undefined }];
  });

/** Whether a record is a report of a gap. */
export const isReport = ({ reason }: { readonly reason: string }): boolean => REPORT.test(reason);

export const isIn = (
  gap: Gap,
  { partition, offset }: { readonly partition: number; readonly offset: number },
): boolean => gap.partition === partition && gap.from <= offset && offset < gap.to;
