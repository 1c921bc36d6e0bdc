import type { MemoryBudget } from '../progress/memory-budget';

/** Bounds of one page of rows; the first row is always read. Whole numbers. */
export interface PageLimits {
  readonly rows: number;
  readonly maxBytes: number;
}

const WHOLE_PAGE: PageLimits = { rows: 100, maxBytes: 1_000_000 };
const ONE_ROW: PageLimits = { rows: 1, maxBytes: 1 };
/** Share of the budget that the rows of all lanes take together, beside one of each lane. */
const SHARE = 0.25;

/** Bytes of the rows of a lane, those being loaded included, and whether it only probes. */
interface RowsOfLane {
  readonly bytes: number;
  readonly isBlocked: boolean;
}

/**
 * Decides which rows a lane may load now. A lane has at most as many as there is room for besides, so that one alone
 * takes half of the room and leaves the rest to others. A lane that has none may load one row, so that each makes
 * progress; where rows have all of their share already, only while the live reader has room. A blocked lane needs no more.
 *
 * @returns undefined: none.
 */
export const pageFor = (
  budget: MemoryBudget,
  { bytes, isBlocked }: RowsOfLane,
): PageLimits | undefined => {
  const shareBytes = SHARE * budget.maxBytes - budget.usedByKind.rows;
  const maxBytes = Math.floor(Math.min(WHOLE_PAGE.maxBytes, shareBytes - bytes, budget.spareBytes));
  if (maxBytes > 0 && !isBlocked) return { ...WHOLE_PAGE, maxBytes };
  return bytes === 0 && (shareBytes > 0 || budget.hasRoom) ? ONE_ROW : undefined;
};

/** Whether rows that nobody needs soon should leave memory, since others may be kept from being loaded. */
export const isShortOfRoom = (budget: MemoryBudget): boolean =>
  !budget.hasSpare || 2 * budget.usedByKind.rows >= SHARE * budget.maxBytes;
