"""The samples of /metrics, parsed as Prometheus does."""

from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families


@dataclass
class MetricSamples:
    """The samples of one scrape: name, labels, value."""

    samples: list[tuple[str, dict[str, str], float]]

    @classmethod
    def of(cls, text: str) -> "MetricSamples":
        """Read the text format."""
        return cls(
            [
                (sample.name, sample.labels, sample.value)
                for family in text_string_to_metric_families(text)
                for sample in family.samples
            ]
        )

    def sum(self, name: str, **labels: str) -> float:
        """Return the sum of all samples of this name that have these labels."""
        return sum(
            value
            for sample, its, value in self.samples
            if sample == name and labels.items() <= its.items()
        )

    def by(self, label: str, name: str) -> dict[str, float]:
        """Return the values of this name by one label; the last where several are alike."""
        return {its[label]: value for sample, its, value in self.samples if sample == name}
