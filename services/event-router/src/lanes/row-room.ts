import type { MemoryBudget } from '../progress/memory-budget';

/** Bounds of one page of rows; the first row is always read. */
export interface PageLimits {
  readonly rows: number;
  readonly maxBytes: number;
}

const WHOLE_PAGE: PageLimits = { rows: 100, maxBytes: 1_000_000 };
const ONE_ROW: PageLimits = { rows: 1, maxBytes: 1 };
/** Share of the budget that the rows of all lanes take together, beside one of each lane. */
const SHARE = 0.25;

/**
 * Decides which rows a lane may load now. A lane has at most as many as there is room for besides, so that one alone
 * takes half of the room and leaves the rest to others; and live deliveries, which come into memory without being asked
 * for, always find most of the budget. A lane that has none may load one row, so that each makes progress, unless the
 * whole budget is used.
 *
 * @param heldBytes of the lane's rows, those being loaded included.
 * @returns undefined: none.
 */
export const pageFor = (budget: MemoryBudget, heldBytes: number): PageLimits | undefined => {
  const shareBytes = SHARE * budget.maxBytes - budget.usedByKind.rows - heldBytes;
  const maxBytes = Math.min(WHOLE_PAGE.maxBytes, shareBytes, budget.spareBytes);
  if (maxBytes > 0) return { ...WHOLE_PAGE, maxBytes };
  return heldBytes === 0 && budget.used < budget.maxBytes ? ONE_ROW : undefined;
};
