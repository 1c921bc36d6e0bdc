/**
 * - shadow: nothing is sent; what would be sent is compared with what was
 * - deliver: what the pipeline gives for the events is sent
 */
export const REPLAY_MODES = ['shadow', 'deliver'] as const;

/** One of {@link REPLAY_MODES}. */
export type ReplayMode = (typeof REPLAY_MODES)[number];
