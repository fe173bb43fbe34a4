//! Delivery of events: pushed, repeated until acknowledged, given up in the end.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{
    socket::Order,
    world::{Delivery, World},
};

/// Delays before Slack pushes an event again: a tenth of a second here for a minute there.
const RETRIES: [Duration; 3] = [Duration::from_millis(20), Duration::from_millis(200), Duration::from_millis(600)];

impl World {
    /// Queues an event to be pushed.
    pub(super) fn push(&mut self, event: &Value) {
        if self.reorders && self.held.is_none() {
            // The first event of a pair waits for the second one.
            self.held = Some(event.clone());
            return;
        }
        self.enter(event);
        if let Some(first) = self.held.take() {
            self.enter(&first);
        }
    }

    pub(super) fn set_reorder(&mut self, yes: bool) {
        self.reorders = yes;
        if let Some(event) = self.held.take() {
            self.enter(&event);
        }
    }

    fn enter(&mut self, event: &Value) {
        self.events += 1;
        let event_id = format!("Ev{:08}", self.events);
        let payload = json!({
            "type": "event_callback", "team_id": "T0STUB", "api_app_id": "A0STUB",
            "event": event, "event_id": event_id, "event_time": 0,
        });
        for copy in 0..self.repeat.max(1) {
            let now = Instant::now();
            let delivery = Delivery { payload: payload.clone(), attempt: 0, begun: now, due: now + self.delay };
            self.deliveries.insert(format!("{event_id}-{copy}"), delivery);
        }
    }

    /// Pushes due events to one of the sockets.
    pub(super) fn pump(&mut self) {
        let now = Instant::now();
        let mut due: Vec<String> =
            self.deliveries.iter().filter(|(_, delivery)| delivery.due <= now).map(|(id, _)| id.clone()).collect();
        // Events that are due together are pushed in their original order.
        due.sort_by_key(|id| (self.deliveries[id].due, id.clone()));
        for id in due {
            let retries = if self.retries.is_empty() { RETRIES.to_vec() } else { self.retries.clone() };
            let Some(delivery) = self.deliveries.get_mut(&id) else { continue };
            let attempt = delivery.attempt;
            let Some(again) = retries.get(attempt).copied().or((attempt == retries.len()).then_some(Duration::MAX))
            else {
                self.deliveries.remove(&id);
                self.given_up += 1;
                continue;
            };
            delivery.attempt += 1;
            // After the last repetition there is still some time to acknowledge it.
            delivery.due = now + again.min(Duration::from_millis(600));
            let mut envelope = json!({
                "type": "events_api", "envelope_id": id, "accepts_response_payload": false, "payload": delivery.payload,
            });
            if attempt > 0 {
                envelope["retry_attempt"] = json!(attempt);
                envelope["retry_reason"] = json!("timeout");
            }
            if !self.deaf {
                self.send(&envelope);
            }
        }
    }

    /// Sends an event to one of the sockets: here the newest.
    fn send(&mut self, envelope: &Value) {
        let Some((&id, socket)) = self.sockets.last_key_value() else { return };
        let _ = socket.send(Order::Say(envelope.to_string()));
        let Some(cuts) = &mut self.cuts else { return };
        cuts.left = cuts.left.saturating_sub(1);
        if cuts.left == 0 && cuts.times > 0 {
            let _ = socket.send(Order::Cut);
            cuts.times -= 1;
            cuts.left = cuts.events;
            // The next due event finds no socket, or another one.
            self.sockets.remove(&id);
        }
    }

    pub(super) fn acknowledge(&mut self, id: &str) {
        if let Some(delivery) = self.deliveries.remove(id) {
            self.acknowledged += 1;
            self.slowest = self.slowest.max(delivery.begun.elapsed());
        }
    }
}
