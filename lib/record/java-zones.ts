/**
 * Short names that Java 17 gives time zones (TimeZone.getDisplayName, US English), which Date.toString prints: a group a paragraph with the
 * name in standard time, the name in daylight time, minutes east of UTC in standard time, and the zones. Zones that are not here print as
 * `GMT+05:00`.
 */
const groups = `
ACST ACDT 570: ACT Australia/Adelaide Australia/Broken_Hill Australia/Darwin Australia/North Australia/South Australia/Yancowinna
ACT ACST -300: America/Eirunepe America/Porto_Acre America/Rio_Branco Brazil/Acre
ACWST ACWDT 525: Australia/Eucla
AEST AEDT 600: AET Antarctica/Macquarie Australia/ACT Australia/Brisbane Australia/Canberra Australia/Currie Australia/Hobart
  Australia/Lindeman Australia/Melbourne Australia/NSW Australia/Queensland Australia/Sydney Australia/Tasmania
  Australia/Victoria
AFT AFST 270: Asia/Kabul
AKST AKDT -540: AST America/Anchorage America/Juneau America/Metlakatla America/Nome America/Sitka America/Yakutat US/Alaska
ALMT ALMST 300: Asia/Almaty
AMT AMST -240: America/Boa_Vista America/Campo_Grande America/Cuiaba America/Manaus America/Porto_Velho Brazil/West
AMT AMST 240: Asia/Yerevan NET
ANAT ANAST 720: Asia/Anadyr
AQTT AQTST 300: Asia/Aqtau Asia/Aqtobe
ART ARST -180: AGT America/Argentina/Buenos_Aires America/Argentina/Catamarca America/Argentina/ComodRivadavia
  America/Argentina/Cordoba America/Argentina/Jujuy America/Argentina/La_Rioja America/Argentina/Mendoza
  America/Argentina/Rio_Gallegos America/Argentina/Salta America/Argentina/San_Juan America/Argentina/San_Luis
  America/Argentina/Tucuman America/Argentina/Ushuaia America/Buenos_Aires America/Catamarca America/Cordoba America/Jujuy
  America/Mendoza America/Rosario
AST ADT -240: America/Anguilla America/Antigua America/Aruba America/Barbados America/Blanc-Sablon America/Curacao America/Dominica
  America/Glace_Bay America/Goose_Bay America/Grenada America/Guadeloupe America/Halifax America/Kralendijk
  America/Lower_Princes America/Marigot America/Martinique America/Moncton America/Montserrat America/Port_of_Spain
  America/Puerto_Rico America/Santo_Domingo America/St_Barthelemy America/St_Kitts America/St_Lucia America/St_Thomas
  America/St_Vincent America/Thule America/Tortola America/Virgin Atlantic/Bermuda Canada/Atlantic PRT
AST ADT 180: Asia/Aden Asia/Baghdad Asia/Bahrain Asia/Kuwait Asia/Qatar Asia/Riyadh
AWST AWDT 480: Antarctica/Casey Australia/Perth Australia/West
AZOT AZOST -60: Atlantic/Azores
AZT AZST 240: Asia/Baku
BDT BDST 360: Asia/Dacca Asia/Dhaka BST
BNT BNST 480: Asia/Brunei
BOT BOST -240: America/La_Paz
BRT BRST -180: America/Araguaina America/Bahia America/Belem America/Fortaleza America/Maceio America/Recife America/Santarem
  America/Sao_Paulo BET Brazil/East
BST BST 660: Pacific/Bougainville
BTT BTST 360: Asia/Thimbu Asia/Thimphu
CAT CAST 120: Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Juba Africa/Khartoum Africa/Kigali
  Africa/Lubumbashi Africa/Lusaka Africa/Maputo CAT
CAT WAT 60: Africa/Windhoek
CCT CCST 390: Indian/Cocos
CET CEST 60: Africa/Algiers Africa/Ceuta Africa/Tunis Arctic/Longyearbyen Atlantic/Jan_Mayen CET ECT Europe/Amsterdam Europe/Andorra
  Europe/Belgrade Europe/Berlin Europe/Bratislava Europe/Brussels Europe/Budapest Europe/Busingen Europe/Copenhagen
  Europe/Gibraltar Europe/Ljubljana Europe/Luxembourg Europe/Madrid Europe/Malta Europe/Monaco Europe/Oslo Europe/Paris
  Europe/Podgorica Europe/Prague Europe/Rome Europe/San_Marino Europe/Sarajevo Europe/Skopje Europe/Stockholm
  Europe/Tirane Europe/Vaduz Europe/Vatican Europe/Vienna Europe/Warsaw Europe/Zagreb Europe/Zurich Poland
CHAST CHADT 765: NZ-CHAT Pacific/Chatham
CHOT CHOST 480: Asia/Choibalsan
CHUT CHUST 600: Pacific/Chuuk Pacific/Truk Pacific/Yap
CKT CKHST -600: Pacific/Rarotonga
CLT CLST -180: Antarctica/Palmer
CLT CLST -240: America/Santiago Chile/Continental
COT COST -300: America/Bogota
CST CDT -300: America/Havana Cuba
CST CDT -360: America/Bahia_Banderas America/Belize America/Chicago America/Chihuahua America/Costa_Rica America/El_Salvador
  America/Guatemala America/Indiana/Knox America/Indiana/Tell_City America/Knox_IN America/Managua America/Matamoros
  America/Menominee America/Merida America/Mexico_City America/Monterrey America/North_Dakota/Beulah
  America/North_Dakota/Center America/North_Dakota/New_Salem America/Ojinaga America/Rainy_River America/Rankin_Inlet
  America/Regina America/Resolute America/Swift_Current America/Tegucigalpa America/Winnipeg CST CST6CDT Canada/Central
  Canada/Saskatchewan Mexico/General US/Central US/Indiana-Starke
CST CDT 480: Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Macao Asia/Macau Asia/Shanghai Asia/Taipei CTT PRC
CVT CVST -60: Atlantic/Cape_Verde
CXT CXST 420: Indian/Christmas
ChST ChDT 600: Pacific/Guam Pacific/Saipan
DAVT DAVST 420: Antarctica/Davis
DDUT DDUST 600: Antarctica/DumontDUrville
EAST EASST -360: Chile/EasterIsland Pacific/Easter
EAT EAST 180: Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti Africa/Kampala Africa/Mogadishu
  Africa/Nairobi EAT Indian/Antananarivo Indian/Comoro Indian/Mayotte
ECT ECST -300: America/Guayaquil
EET EEST 120: ART Africa/Cairo Africa/Tripoli Asia/Beirut Asia/Famagusta Asia/Gaza Asia/Hebron Asia/Nicosia EET Egypt Europe/Athens
  Europe/Bucharest Europe/Chisinau Europe/Helsinki Europe/Kaliningrad Europe/Kiev Europe/Kyiv Europe/Mariehamn
  Europe/Nicosia Europe/Riga Europe/Sofia Europe/Tallinn Europe/Tiraspol Europe/Uzhgorod Europe/Vilnius Europe/Zaporozhye
  Libya
EET EEST 180: Asia/Amman Asia/Damascus
EGT EGST -120: America/Scoresbysund
EST EDT -300: America/Atikokan America/Cancun America/Cayman America/Coral_Harbour America/Detroit America/Fort_Wayne
  America/Grand_Turk America/Indiana/Indianapolis America/Indiana/Marengo America/Indiana/Petersburg America/Indiana/Vevay
  America/Indiana/Vincennes America/Indiana/Winamac America/Indianapolis America/Iqaluit America/Jamaica
  America/Kentucky/Louisville America/Kentucky/Monticello America/Louisville America/Montreal America/Nassau
  America/New_York America/Nipigon America/Panama America/Pangnirtung America/Port-au-Prince America/Thunder_Bay
  America/Toronto Canada/Eastern EST5EDT IET Jamaica US/East-Indiana US/Eastern US/Michigan
EST EST -300: EST
FJT FJST 720: Pacific/Fiji
FKT FKST -180: Atlantic/Stanley
FNT FNST -120: America/Noronha Brazil/DeNoronha
GALT GALST -360: Pacific/Galapagos
GAMT GAMST -540: Pacific/Gambier
GET GEST 240: Asia/Tbilisi
GFT GFST -180: America/Cayenne
GILT GILST 720: Pacific/Tarawa
GMT BST 0: Europe/Belfast Europe/Guernsey Europe/Isle_of_Man Europe/Jersey Europe/London GB GB-Eire
GMT CEST 0: Antarctica/Troll
GMT GHST 0: Africa/Accra
GMT GMT 0: Africa/Abidjan Africa/Bamako Africa/Banjul Africa/Bissau Africa/Conakry Africa/Dakar Africa/Freetown Africa/Lome
  Africa/Monrovia Africa/Nouakchott Africa/Ouagadougou Africa/Sao_Tome Africa/Timbuktu America/Danmarkshavn
  Atlantic/Reykjavik Atlantic/St_Helena Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich GMT GMT0 Greenwich Iceland
GMT IST 0: Eire Europe/Dublin
GST GDT -120: Atlantic/South_Georgia
GST GDT 240: Asia/Dubai Asia/Muscat
GYT GYST -240: America/Guyana
HAST HADT -600: America/Adak America/Atka Pacific/Johnston US/Aleutian
HKT HKST 480: Asia/Hong_Kong Hongkong
HOVT HOVST 420: Asia/Hovd
HST HDT -600: Pacific/Honolulu US/Hawaii
HST HST -600: HST
ICT ICST 420: Asia/Bangkok Asia/Ho_Chi_Minh Asia/Phnom_Penh Asia/Saigon Asia/Vientiane VST
IOT IOST 360: Indian/Chagos
IRKT IRKST 480: Asia/Irkutsk
IRST IRDT 210: Asia/Tehran Iran
IST IDT 120: Asia/Jerusalem Asia/Tel_Aviv Israel
IST IDT 330: Asia/Calcutta Asia/Colombo Asia/Kolkata IST
JST JDT 540: Asia/Tokyo JST Japan
KGT KGST 360: Asia/Bishkek
KOST KOSST 660: Pacific/Kosrae
KRAT KRAST 420: Asia/Krasnoyarsk Asia/Novokuznetsk
KST KDT 540: Asia/Pyongyang Asia/Seoul ROK
LHST LHDT 630: Australia/LHI Australia/Lord_Howe
LINT LINST 840: Pacific/Kiritimati
MAGT MAGST 660: Asia/Magadan
MART MARST -570: Pacific/Marquesas
MAWT MAWST 300: Antarctica/Mawson
MET MEST 60: MET
MHT MHST 720: Kwajalein Pacific/Kwajalein Pacific/Majuro
MMT MMST 390: Asia/Rangoon Asia/Yangon
MSK MSD 180: Europe/Kirov Europe/Minsk Europe/Moscow Europe/Simferopol Europe/Volgograd W-SU
MST MDT -420: America/Boise America/Cambridge_Bay America/Ciudad_Juarez America/Creston America/Dawson America/Dawson_Creek
  America/Denver America/Edmonton America/Fort_Nelson America/Hermosillo America/Inuvik America/Mazatlan America/Phoenix
  America/Shiprock America/Whitehorse America/Yellowknife Canada/Mountain Canada/Yukon MST7MDT Mexico/BajaSur Navajo PNT
  US/Arizona US/Mountain
MST MST -420: MST
MUT MUST 240: Indian/Mauritius
MVT MVST 300: Indian/Maldives
MYT MYST 480: Asia/Kuala_Lumpur Asia/Kuching
NCT NCST 660: Pacific/Noumea
NFT NFST 660: Pacific/Norfolk
NOVT NOVST 420: Asia/Novosibirsk
NPT NPST 345: Asia/Kathmandu Asia/Katmandu
NRT NRST 720: Pacific/Nauru
NST NDT -210: America/St_Johns CNT Canada/Newfoundland
NUT NUST -660: Pacific/Niue
NZST NZDT 720: Antarctica/McMurdo Antarctica/South_Pole NST NZ Pacific/Auckland
OMST OMSST 360: Asia/Omsk
ORAT ORAST 300: Asia/Oral
PET PEST -300: America/Lima
PETT PETST 720: Asia/Kamchatka
PGT PGST 600: Pacific/Port_Moresby
PHOT PHOST 780: Pacific/Enderbury
PKT PKST 300: Asia/Karachi PLT
PMST PMDT -180: America/Miquelon
PONT PONST 660: Pacific/Pohnpei Pacific/Ponape
PST PDT -480: America/Ensenada America/Los_Angeles America/Santa_Isabel America/Tijuana America/Vancouver Canada/Pacific
  Mexico/BajaNorte PST PST8PDT Pacific/Pitcairn US/Pacific
PST PDT 480: Asia/Manila
PWT PWST 540: Pacific/Palau
PYT PYST -180: America/Asuncion
QOST QOSST 300: Asia/Qostanay
QYZT QYZST 300: Asia/Qyzylorda
RET REST 240: Indian/Reunion
ROTT ROTST -180: Antarctica/Rothera
SAKT SAKST 660: Asia/Sakhalin
SAMT SAMST 240: Europe/Samara
SAST SAST 120: Africa/Johannesburg Africa/Maseru Africa/Mbabane
SBT SBST 660: Pacific/Guadalcanal SST
SCT SCST 240: Indian/Mahe
SGT SGST 480: Asia/Singapore Singapore
SRET SREDT 660: Asia/Srednekolymsk
SRT SRST -180: America/Paramaribo
SST SDT -660: Pacific/Midway Pacific/Pago_Pago Pacific/Samoa US/Samoa
SYOT SYOST 180: Antarctica/Syowa
TAHT TAHST -600: Pacific/Tahiti
TFT TFST 300: Indian/Kerguelen
TJT TJST 300: Asia/Dushanbe
TKT TKST 780: Pacific/Fakaofo
TLT TLST 540: Asia/Dili
TMT TMST 300: Asia/Ashgabat Asia/Ashkhabad
TOT TOST 780: Pacific/Tongatapu
TRT TRST 180: Asia/Istanbul Europe/Istanbul Turkey
TVT TVST 720: Pacific/Funafuti
ULAT ULAST 480: Asia/Ulaanbaatar Asia/Ulan_Bator
UTC UTC 0: Etc/UCT Etc/UTC Etc/Universal Etc/Zulu UCT UTC Universal Zulu
UYT UYST -180: America/Montevideo
UZT UZST 300: Asia/Samarkand Asia/Tashkent
VET VEST -240: America/Caracas
VLAT VLAST 600: Asia/Ust-Nera Asia/Vladivostok
VOST VOSST 300: Antarctica/Vostok
VUT VUST 660: Pacific/Efate
WAKT WAKST 720: Pacific/Wake
WAT WAST 60: Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Lagos Africa/Libreville Africa/Luanda
  Africa/Malabo Africa/Ndjamena Africa/Niamey Africa/Porto-Novo
WET WEST 0: Africa/Casablanca Africa/El_Aaiun Atlantic/Canary Atlantic/Faeroe Atlantic/Faroe Atlantic/Madeira Europe/Lisbon Portugal
  WET
WFT WFST 720: Pacific/Wallis
WGT WGST -120: America/Godthab America/Nuuk
WIB WIST 420: Asia/Jakarta Asia/Pontianak
WIT EIST 540: Asia/Jayapura
WITA CIST 480: Asia/Makassar Asia/Ujung_Pandang
WSST WSDT 780: MIT Pacific/Apia
XJT XJDT 360: Asia/Kashgar Asia/Urumqi
YAKT YAKST 540: Asia/Chita Asia/Khandyga Asia/Yakutsk
YEKT YEKST 300: Asia/Yekaterinburg
`

export interface ZoneNames {
  readonly standard: string
  readonly daylight: string
  /** Minutes east of UTC in standard time. */
  readonly standardMinutes: number
}

export const zoneNames: ReadonlyMap<string, ZoneNames> = new Map(
  groups
    .trim()
    .split(/\n(?! )/)
    .flatMap(group => {
      const [head = '', zones = ''] = group.split(':')
      const [standard = '', daylight = '', minutes = '0'] = head.split(' ')
      const names: ZoneNames = { standard, daylight, standardMinutes: Number(minutes) }
      return zones
        .trim()
        .split(/\s+/)
        .map((zone): [string, ZoneNames] => [zone, names])
    }),
)
