"""The endpoints of reports."""

from ..permissions import ReportPermission
from ..queries import reports
from ..resources.reports import Reports
from ..schemas.paging import PAGED
from ..schemas.reports import REPORT_FORM, Reportable
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.reports import report, report_target
from ..web.responses.results import Kind, Listing, Shown


@api_view(Reports, "POST", ReportPermission.CREATE, schema=REPORT_FORM)
def create_report(container: Reports, request: ForumRequest) -> Shown:
    """Report a topic, a reply or a user to the moderators."""
    values = request.validated
    kind, obj_id = Reportable(values["obj_type"]), str(values["obj_id"])
    target = report_target(container.root, request, kind, obj_id)
    report_id, is_new = report(request, target, values)
    if is_new:
        request.response.status_int = request.registry.envelope.created_status
    return Shown(Kind.REPORT, reports.by_id(request.db, report_id))


@api_view(Reports, "GET", ReportPermission.VIEW_OWN, schema=PAGED)
def list_reports(container: Reports, request: ForumRequest) -> Listing:
    """List the caller's own reports, the newest first."""
    result, cursors = reports.of_user(request.db, request.actor_id, request.page)
    return Listing(Kind.REPORT, "reports", result, cursors)
