import { type AlertState, HEALTH_CAUSES } from '@penstock/contracts';
import type { PipelineMeasure } from '../store/alerts/alert-store';
import type { KnownHealth } from './troubles';

/** Endings within the window below which a share of dead letters begins no alert. */
export const MIN_ENDINGS = 20;

/** A condition ends below this part of its threshold, so that a value around the threshold does not notify all the time. */
const ENDS_BELOW = 0.5;

/** What is known of an object: whether a condition begins to hold for it or goes on to, and the evidence for people. */
export interface Found {
  readonly begins: boolean;
  readonly goesOn: boolean;
  /** Members of the notification. */
  readonly evidence: object;
}

/** The condition of kind `health`. @param health undefined: it has always been healthy. */
export const ofHealth = (health: Pick<KnownHealth, 'code' | 'since'> | undefined): Found => {
  const { code, since } = health ?? { code: '', since: null };
  const { status, message, action } = HEALTH_CAUSES[code];
  return {
    begins: status === 'Failing' || status === 'Paused',
    goesOn: code !== '',
    evidence: { health: { status, since, code, message, action } },
  };
};

const valueOf = (
  { alertKind, window }: AlertState,
  { endings, lagSeconds }: PipelineMeasure,
): { readonly value: number; readonly isEnough: boolean } => {
  if (alertKind === 'lag') return { value: lagSeconds, isEnough: true };
  const { all, deadLetters } = endings[window ?? 5];
  return { value: all === 0 ? 0 : (100 * deadLetters) / all, isEnough: all >= MIN_ENDINGS };
};

/** The condition of the kinds `deadLetterRate` and `lag`. */
export const ofMeasure = (alert: AlertState, measure: PipelineMeasure): Found => {
  const threshold = alert.threshold ?? Infinity;
  const { value, isEnough } = valueOf(alert, measure);
  return {
    begins: isEnough && value >= threshold,
    goesOn: value >= threshold * ENDS_BELOW,
    evidence: { value: Number(value.toFixed(2)) },
  };
};
