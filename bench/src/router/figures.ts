/** What one case has shown: a number under a name that says its unit. */
export type Figures = Readonly<Record<string, number>>;

/** One case of a bench, measured once. */
export interface Measurement {
  readonly case: string;
  readonly figures: Figures;
}
