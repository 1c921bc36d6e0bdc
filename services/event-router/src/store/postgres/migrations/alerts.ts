/**
 * For which objects the conditions of alerts hold, and the notifications of all changes. The one row of `alert_evaluation`
 * says by which configuration they were evaluated last, and when pipelines were measured. `number` is the order in which
 * notifications were recorded: their ids have the clocks of different machines. Nothing of it concerns earlier routers.
 */
export const ALERTS = `
CREATE TABLE penstock_router.alert_evaluation (
  is_only         boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  position        bigint NOT NULL DEFAULT 0,
  measured        timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO penstock_router.alert_evaluation DEFAULT VALUES;

CREATE TABLE penstock_router.alert_holding (
  alert           text COLLATE "C" NOT NULL,
  subject         text COLLATE "C" NOT NULL,
  id              text COLLATE "C" NOT NULL,
  workspace       text NOT NULL,
  PRIMARY KEY (alert, subject, id)
);

CREATE TABLE penstock_router.alert_notifications (
  notification    text COLLATE "C" PRIMARY KEY,
  number          bigint GENERATED ALWAYS AS IDENTITY,
  workspace       text COLLATE "C" NOT NULL,
  alert           text COLLATE "C" NOT NULL,
  subject         text NOT NULL,
  id              text COLLATE "C" NOT NULL,
  change          text NOT NULL,
  body            text NOT NULL,
  state           text NOT NULL DEFAULT 'Waiting',
  attempts        integer NOT NULL DEFAULT 0,
  status          integer,
  reason          text NOT NULL DEFAULT '',
  created         timestamptz NOT NULL DEFAULT now(),
  due             timestamptz NOT NULL DEFAULT now(),
  taken_until     timestamptz NOT NULL DEFAULT '-infinity',
  ended           timestamptz
) WITH (fillfactor = 80);
CREATE INDEX alert_notifications_of_alert ON penstock_router.alert_notifications (alert, notification);
CREATE INDEX alert_notifications_due
  ON penstock_router.alert_notifications (workspace, due, number) WHERE ended IS NULL;
CREATE INDEX alert_notifications_taken
  ON penstock_router.alert_notifications (workspace, taken_until) WHERE ended IS NULL;
CREATE INDEX alert_notifications_waiting
  ON penstock_router.alert_notifications (alert, subject, id, number) WHERE ended IS NULL;
CREATE INDEX alert_notifications_ended ON penstock_router.alert_notifications (ended) WHERE ended IS NOT NULL;
`;
