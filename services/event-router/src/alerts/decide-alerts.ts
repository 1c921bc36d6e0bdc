import {
  type AlertState,
  type ConnectionId,
  instant,
  type NotificationId,
  type PipelineId,
} from '@penstock/contracts';
import type {
  AlertTurn,
  PipelineMeasure,
  Standing,
  WatchedObject,
} from '../store/alerts/alert-store';
import { type Found, ofHealth, ofMeasure } from './condition';
import { healthsOf, type KnownHealth, troublesOf } from './troubles';
import { type AlertedConfiguration, watchedPipelines } from './watched-pipelines';

type Place = Pick<WatchedObject, 'alert' | 'subject' | 'id'>;

const keyOf = ({ alert, subject, id }: Place): string => `${alert} ${subject} ${id}`;

/** Items by what they belong to. */
const grouped = <Item>(
  items: Iterable<Item>,
  ownerOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> => {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(ownerOf(item));
    if (group === undefined) groups.set(ownerOf(item), [item]);
    else group.push(item);
  }
  return groups;
};

/** Decides on all alerts at one moment. */
class AlertEvaluation {
  private readonly turns: AlertTurn[] = [];
  private readonly holding: ReadonlyMap<string, readonly WatchedObject[]>;
  private readonly isHolding: ReadonlySet<string>;
  /** Where conditions still hold, or were not decided on. */
  private readonly kept = new Set<string>();
  private readonly troubles: ReadonlyMap<string, readonly KnownHealth[]>;

  constructor(
    private readonly configuration: AlertedConfiguration,
    private readonly standing: Standing,
    private readonly newId: () => NotificationId,
  ) {
    this.holding = grouped(standing.holding, ({ alert }) => alert);
    this.isHolding = new Set(standing.holding.map(keyOf));
    const runControls = configuration.allRunControls();
    const troubles = troublesOf({ healths: configuration.healths, runControls });
    this.troubles = grouped(troubles, ({ workspace }) => workspace);
  }

  decide(): readonly AlertTurn[] {
    for (const alert of this.configuration.alerts.all())
      if (this.isAlive(alert)) this.evaluate(alert);
    for (const object of this.standing.holding) if (!this.kept.has(keyOf(object))) this.end(object);
    return this.turns;
  }

  private isAlive({ enabled, workspace }: AlertState): boolean {
    return enabled && this.configuration.workspace(workspace) !== undefined;
  }

  private evaluate(alert: AlertState): void {
    if (alert.alertKind === 'health') this.evaluateHealth(alert);
    else if (this.standing.measures !== null) this.evaluateMeasures(alert, this.standing.measures);
    else for (const object of this.holding.get(alert.id) ?? []) this.kept.add(keyOf(object));
  }

  private evaluateMeasures(
    alert: AlertState,
    measures: ReadonlyMap<PipelineId, PipelineMeasure>,
  ): void {
    for (const { pipeline } of watchedPipelines(alert, this.configuration)) {
      const measure = measures.get(pipeline);
      if (measure !== undefined)
        this.consider(alert, 'pipeline', pipeline, ofMeasure(alert, measure));
      // The configuration has changed since it was said what to measure.
      else this.kept.add(keyOf({ alert: alert.id, subject: 'pipeline', id: pipeline }));
    }
  }

  private evaluateHealth(alert: AlertState): void {
    const { workspace, connection, pipeline } = alert;
    if (pipeline !== null) {
      const worst = this.worstOf(pipeline);
      if (worst !== 'gone') this.consider(alert, 'pipeline', pipeline, ofHealth(worst));
      return;
    }
    for (const trouble of this.troubles.get(workspace) ?? [])
      if (this.isWatched(trouble, connection))
        this.consider(alert, trouble.subject, trouble.id, ofHealth(trouble));
  }

  /** The worst of the pipeline's own healths and that of its connection. */
  private worstOf(id: PipelineId): KnownHealth | undefined | 'gone' {
    const head = this.configuration.pipelineHead(id);
    if (head === undefined || head.deleted) return 'gone';
    const healths = [id, head.connection].flatMap((each) => healthsOf(each, this.configuration));
    return (
      healths.find((each) => ofHealth(each).begins) ?? healths.find((each) => ofHealth(each).goesOn)
    );
  }

  private isWatched({ subject, id }: KnownHealth, only: ConnectionId | null): boolean {
    if (subject === 'connection')
      return this.configuration.connection(id) !== undefined && (only === null || id === only);
    const head = this.configuration.pipelineHead(id as PipelineId);
    return head !== undefined && !head.deleted && (only === null || head.connection === only);
  }

  private consider(
    { id: alert, workspace }: AlertState,
    subject: WatchedObject['subject'],
    id: WatchedObject['id'],
    { begins, goesOn, evidence }: Found,
  ): void {
    const object = { alert, workspace, subject, id };
    const key = keyOf(object);
    const isHolding = this.isHolding.has(key);
    if (isHolding && goesOn) this.kept.add(key);
    else if (isHolding) this.end(object, evidence);
    else if (begins) this.turn(object, 'Began', evidence);
  }

  private end(object: WatchedObject, evidence: object = {}): void {
    this.kept.add(keyOf(object));
    this.turn(object, 'Ended', { ...this.presentHealth(object), ...evidence });
  }

  /** Of an object that has no trouble: it is healthy, or is not there or not watched any more. */
  private presentHealth({ alert, id }: WatchedObject): object {
    const isOfHealth = this.configuration.alerts.get(alert)?.alertKind === 'health';
    const known = isOfHealth ? healthsOf(id, this.configuration) : [];
    const [found] = known;
    if (found === undefined || known.some(({ code }) => code !== '')) return {};
    return ofHealth(found).evidence;
  }

  private turn(object: WatchedObject, change: AlertTurn['change'], evidence: object): void {
    const alert = this.configuration.alerts.get(object.alert);
    const isTold = alert !== undefined && !alert.deleted && this.isAlive(alert);
    const notification = isTold ? this.notification(alert, object, change, evidence) : null;
    this.turns.push({ ...object, change, notification });
  }

  private notification(
    { name, alertKind: kind, threshold, window }: AlertState,
    { alert, workspace, subject, id: about }: WatchedObject,
    change: AlertTurn['change'],
    evidence: object,
  ): AlertTurn['notification'] {
    const id = this.newId();
    const body = JSON.stringify({
      id,
      workspace,
      alert: { id: alert, name, kind, threshold, window },
      change,
      at: instant(new Date(this.standing.nowMs)),
      connection: subject === 'connection' ? about : null,
      pipeline: subject === 'pipeline' ? about : null,
      name: this.nameOf(subject, about),
      health: null,
      value: null,
      ...evidence,
    });
    return { id, body };
  }

  private nameOf(subject: WatchedObject['subject'], id: WatchedObject['id']): string | null {
    const found =
      subject === 'connection'
        ? this.configuration.connection(id)
        : this.configuration.pipelineHead(id as PipelineId);
    return found?.name ?? null;
  }
}

/**
 * Finds for which objects the conditions of alerts begin to hold and no longer hold. A change of an alert that is deleted or
 * disabled, or whose workspace is, has no notification.
 */
export const decideAlerts = (
  configuration: AlertedConfiguration,
  standing: Standing,
  newId: () => NotificationId,
): readonly AlertTurn[] => new AlertEvaluation(configuration, standing, newId).decide();
